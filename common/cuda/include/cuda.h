// The version of CUDA whose interface these headers describe.
#pragma once
#define CUDA_VERSION 13000
