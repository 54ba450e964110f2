// Compares linear filtering with an H200, bit for bit. Each case has texels, the weights of the
// upper texels, and the result. Most cases test a rounding decision: a weight or sum halfway
// between two values, or a texel so small that filtering loses some of its bits.
// expect: one dimension: ok
// expect: texels of very different sizes: ok
// expect: two dimensions: ok
// expect: three dimensions: ok
// expect: bytes as floats: ok
// expect: signed shorts as floats: ok
#include "check.h"

template <class T>
struct Case {
    int upper[3];  ///< the weights of the upper texels, in units of 1/256
    T texels[8];   ///< texel values; x varies fastest
    float wanted;
};

static const Case<float> kOneDimension[] = {
    {{91, 0, 0}, {-0.272606373f, 0.518846869f}, 0.00873052236f},
    {{52, 0, 0}, {0.203130603f, -0.8893103f}, -0.0187714566f},
    {{32, 0, 0}, {-0.318136096f, 0.019677639f}, -0.275909394f},
    {{130, 0, 0}, {0.0806393623f, 0.313115597f}, 0.198693708f},
    {{104, 0, 0}, {0.0117266178f, 0.213930964f}, 0.0938721374f},
    {{170, 0, 0}, {0.0806393623f, 0.313115597f}, 0.235018119f},
    {{173, 0, 0}, {0.925274253f, -0.330616832f}, 0.0765666068f},
    {{66, 0, 0}, {0.735954881f, 0.185182333f}, 0.593958855f},
};
static const Case<float> kSizes[] = {
    {{236, 0, 0}, {7.44369698f, -0.00694289338f}, 0.57513839f},
    {{211, 0, 0}, {-0.00694289338f, 0.272425741f}, 0.223317981f},
    {{7, 0, 0}, {0.00778194144f, -342.485962f}, -9.35728359f},
    {{26, 0, 0}, {0.0025651569f, -588479.875f}, -59767.4883f},
    {{10, 0, 0}, {-4.52206077e-05f, 21.7494965f}, 0.849546313f},
    {{16, 0, 0}, {0.00778194144f, -342.485962f}, -21.3980789f},
    {{182, 0, 0}, {-0.000879246276f, 1507.76355f}, 1071.92542f},
    {{155, 0, 0}, {-1.44274472e-05f, 1.16003175e-05f}, 1.33155095e-06f},
};
static const Case<float> kTwoDimensions[] = {
    {{128, 103, 0}, {0.833726287f, 0.372982144f, 0.141708851f, -0.562985182f}, 0.275373012f},
    {{118, 64, 0}, {-0.870199561f, -0.341576338f, -0.384600043f, -0.671281755f}, -0.600680947f},
    {{50, 64, 0}, {-0.895789146f, 0.92710948f, 0.555543423f, -0.452450454f}, -0.32067737f},
    {{137, 128, 0}, {-0.119538188f, 0.571543813f, 0.0528583527f, -0.00622087717f}, 0.134305045f},
    {{134, 192, 0}, {-0.643872976f, 0.138625503f, 0.335890532f, -0.274191976f}, -0.0488780141f},
    {{192, 242, 0}, {0.773876905f, 0.0791691542f, 0.302777767f, 0.21788764f}, 0.241052404f},
    {{236, 9, 0}, {-0.236737311f, 0.270003796f, 0.660283685f, 0.683820128f}, 0.246850401f},
    {{254, 46, 0}, {-0.11940217f, -0.420204937f, 0.983292222f, 0.099055171f}, -0.32455036f},
};
static const Case<float> kThreeDimensions[] = {
    {{96, 107, 12},
     {0.0631814003f, 0.872694135f, -0.0202495456f, 0.753547311f, -0.530728102f, -0.514440119f,
      0.806651592f, 0.878127694f},
     0.314586908f},
    {{40, 208, 80},
     {-0.859541953f, -0.750165761f, -0.333127439f, -0.969650865f, -0.0529469848f, -0.0622161031f,
      -0.846187294f, 0.594153523f},
     -0.508072019f},
    {{216, 254, 48},
     {-0.814688027f, -0.515102744f, 0.631042004f, -0.415311933f, 0.589987755f, 0.60027802f,
      0.422977567f, -0.236733198f},
     -0.233385026f},
    {{75, 213, 128},
     {-0.91663909f, -0.903883755f, -0.776708364f, -0.491517961f, -0.257141173f, -0.966544509f,
      0.999511123f, -0.926076412f},
     -0.224539399f},
    {{201, 63, 211},
     {-0.770163119f, 0.994113803f, -0.42166549f, -0.533684254f, 0.625789404f, -0.460958481f,
      0.983385563f, 0.303511143f},
     0.00373981381f},
    {{93, 233, 91},
     {0.00487017632f, 0.433074594f, 0.497326851f, -0.687938273f, -0.860943198f, -0.427740395f,
      -0.688816547f, -0.545894265f},
     -0.181078374f},
    {{218, 195, 52},
     {-0.406840026f, -0.271288335f, 0.109798789f, -0.460204244f, 0.701571941f, 0.91616261f,
      0.766894698f, 0.436061382f},
     -0.166641682f},
};
static const Case<unsigned char> kBytes[] = {
    {{192, 126, 0}, {242, 37, 175, 105}, 0.413214326f},
    {{80, 184, 0}, {10, 69, 209, 182}, 0.59601742f},
    {{156, 160, 0}, {42, 186, 27, 176}, 0.479560554f},
    {{68, 96, 0}, {129, 41, 52, 175}, 0.385015637f},
    {{53, 117, 0}, {144, 149, 229, 51}, 0.653833807f},
    {{206, 10, 0}, {96, 36, 170, 58}, 0.192095831f},
};
static const Case<short> kShorts[] = {
    {{217, 219, 0}, {28921, -2354, 14972, -20362}, -0.38059634f},
    {{238, 60, 0}, {18976, -24872, 10536, 24382}, -0.340159297f},
    {{20, 15, 0}, {-19237, -18043, -9813, 7517}, -0.565446973f},
    {{224, 252, 0}, {5351, 16947, -17306, 12166}, 0.263283193f},
    {{164, 160, 0}, {-24663, 26172, 9815, 16271}, 0.353892624f},
    {{129, 193, 0}, {-25760, 23816, 24118, 13216}, 0.424512476f},
    // The result contains the value of the most negative texel, which is below -1.
    {{1, 0, 0}, {-32768, 0, -32768, 0}, -32640 / 32767.0f},
    {{2, 0, 0}, {-32768, 12345, -32768, 12345}, -32416 / 32767.0f},
    {{200, 0, 0}, {-32768, -32768, -32768, -32768}, -1},
};

/// Returns a texture with two texels in each dimension.
template <class T>
static cudaTextureObject_t texture_of(const T* texels, int dimensions) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    const size_t height = dimensions > 1 ? 2 : 0, depth = dimensions > 2 ? 2 : 0;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    MUST(cudaMalloc3DArray(&resource.res.array.array, &format, make_cudaExtent(2, height, depth)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr =
        make_cudaPitchedPtr(const_cast<T*>(texels), 2 * sizeof(T), 2, dimensions > 1 ? 2 : 1);
    copy.dstArray = resource.res.array.array;
    copy.extent = make_cudaExtent(2, dimensions > 1 ? 2 : 1, dimensions > 2 ? 2 : 1);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    cudaTextureDesc how = {};
    for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = sizeof(T) < 4 ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    cudaTextureObject_t texture;
    MUST(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

__global__ void fetch(float* out, cudaTextureObject_t t, int dimensions, float x, float y,
                      float z) {
    *out = dimensions == 1   ? tex1D<float>(t, x)
           : dimensions == 2 ? tex2D<float>(t, x, y)
                             : tex3D<float>(t, x, y, z);
}

template <class T, size_t count>
static void compare(const char* name, const Case<T> (&cases)[count], int dimensions) {
    std::vector<float> got, wanted;
    for (const Case<T>& each : cases) {
        const DeviceArray<float> out(1);
        float at[3];
        for (int d = 0; d < 3; ++d) at[d] = 0.5f + each.upper[d] / 256.0f;
        fetch<<<1, 1>>>(out, texture_of(each.texels, dimensions), dimensions, at[0], at[1], at[2]);
        MUST(cudaGetLastError());
        got.push_back(out.read()[0]);
        wanted.push_back(each.wanted);
    }
    expect_equal(name, got, wanted);
}

int main() {
    compare("one dimension", kOneDimension, 1);
    compare("texels of very different sizes", kSizes, 1);
    compare("two dimensions", kTwoDimensions, 2);
    compare("three dimensions", kThreeDimensions, 3);
    compare("bytes as floats", kBytes, 2);
    compare("signed shorts as floats", kShorts, 2);
}
