# SPDX-License-Identifier: GPL-3.0-or-later
# What every target of ours has in common. Third-party headers come in as SYSTEM and are not warned about.

add_library(dimscope_warnings INTERFACE)
# Without GCC 12's flow analysis: once it optimises, it has false alarms inside the standard library.
set(cxxWarnings -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
    -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-dangling-pointer -Wno-nonnull)
if(WARNINGS_AS_ERRORS)
  list(APPEND cxxWarnings -Werror)
endif()
target_compile_options(dimscope_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${cxxWarnings}>")

add_library(dimscope_sanitizers INTERFACE)
if(SANITIZE)
  target_compile_options(dimscope_sanitizers INTERFACE -fsanitize=${SANITIZE} -fno-omit-frame-pointer)
  if(SANITIZE MATCHES undefined)
    # These double the time to compile, and AddressSanitizer stops at a null pointer anyway.
    target_compile_options(dimscope_sanitizers INTERFACE
      -fno-sanitize=null,alignment,object-size,nonnull-attribute,returns-nonnull-attribute)
  endif()
  if(SANITIZE MATCHES thread)
    # Eigen's thread pool has a fence, which ThreadSanitizer does not follow: shown by GCC, harmless unless it reports.
    target_compile_options(dimscope_sanitizers INTERFACE -Wno-tsan)
  endif()
  target_link_options(dimscope_sanitizers INTERFACE -fsanitize=${SANITIZE})
endif()

function(dimscope_common target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE dimscope_warnings PUBLIC dimscope_sanitizers)
endfunction()

function(dimscope_library target)
  add_library(${target} STATIC ${ARGN})
  dimscope_common(${target})
endfunction()

function(dimscope_program target)
  add_executable(${target} ${ARGN})
  dimscope_common(${target})
endfunction()
