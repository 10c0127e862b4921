# SPDX-License-Identifier: GPL-3.0-or-later
# Code for compute capability 8.0 and for Hopper with its own instructions (9.0a), and PTX of 8.0 for what comes after.
# The language is enabled for the whole project, so that every program that links the CUDA part also links its runtime.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90a-real)
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 20)
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has it
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
find_package(CUDAToolkit REQUIRED)  # the static runtime: the program starts without a driver
