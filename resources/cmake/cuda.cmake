# SPDX-License-Identifier: GPL-3.0-or-later
# One architecture: the GPU of this machine, else sm_80. The language is enabled for the whole project, so that every
# program that links the CUDA part also links its runtime.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capability ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(failed EQUAL 0 AND capability MATCHES "^([0-9]+)\\.([0-9]+)")
    set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
  else()
    set(CMAKE_CUDA_ARCHITECTURES 80)
  endif()
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 17)
find_package(CUDAToolkit REQUIRED)  # the static runtime: the program starts without a driver
