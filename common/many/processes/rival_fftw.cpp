// FFTW's transpose over processes, as its own measurements plan it.
#include <fftw3-mpi.h>

#include <stdexcept>

#include "many/processes/way.h"

namespace coalesce::processes {
namespace {

class Fftw : public Way {
public:
    explicit Fftw(const Shared& shared) {
        fftwf_mpi_init();
        const std::ptrdiff_t rows = shared.rows.count, cols = shared.cols.count;
        std::ptrdiff_t my_rows, first_row, my_cols, first_col;
        const std::ptrdiff_t size = fftwf_mpi_local_size_2d_transposed(
            rows, cols, shared.comm, &my_rows, &first_row, &my_cols, &first_col);
        if (my_rows != shared.my_rows() || my_cols != shared.my_cols()) {
            throw std::runtime_error("FFTW spreads this matrix in another way");
        }
        in_ = fftwf_alloc_real(static_cast<std::size_t>(size));
        out_ = fftwf_alloc_real(static_cast<std::size_t>(size));
        plan_ = fftwf_mpi_plan_transpose(rows, cols, in_, out_, shared.comm, FFTW_MEASURE);
        if (plan_ == nullptr) throw std::runtime_error("FFTW has no plan for this matrix");
    }
    ~Fftw() override {
        fftwf_destroy_plan(plan_);
        fftwf_free(in_);
        fftwf_free(out_);
    }
    float* in() override { return in_; }
    float* out() override { return out_; }
    void transpose() override { fftwf_execute(plan_); }

private:
    fftwf_plan plan_ = nullptr;
    float *in_ = nullptr, *out_ = nullptr;
};

}  // namespace

std::unique_ptr<Way> make_fftw(const Shared& shared) {
    return std::make_unique<Fftw>(shared);
}

}  // namespace coalesce::processes
