// ScaLAPACK's transpose. It counts by columns: it sees our rows as columns of a matrix that is spread
// by its columns.
#include <stdexcept>
#include <vector>

#include "many/processes/way.h"

// ScaLAPACK has no header for C.
extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void Cblacs_gridexit(int context);
void descinit_(int* descriptor, const int* rows, const int* cols, const int* block_rows,
               const int* block_cols, const int* first_row, const int* first_col,
               const int* context, const int* pitch, int* info);
void pstran_(const int* rows, const int* cols, const float* alpha, const float* a, const int* row_a,
             const int* col_a, const int* descriptor_a, const float* beta, float* c,
             const int* row_c, const int* col_c, const int* descriptor_c);
}

namespace coalesce::processes {
namespace {

/// A matrix of `rows` x `cols` in ScaLAPACK's sense, whose columns are spread.
struct Descriptor {
    int fields[9] = {};
    Descriptor(int rows, Spread cols, int context) {
        const int block_cols = cols.block(), zero = 0;
        int info = 0;
        descinit_(fields, &rows, &cols.count, &rows, &block_cols, &zero, &zero, &context, &rows,
                  &info);
        if (info != 0) throw std::runtime_error("ScaLAPACK refuses this matrix");
    }
};

int grid_of(const Shared& shared) {
    int context = Csys2blacs_handle(shared.comm);
    Cblacs_gridinit(&context, "Row", 1, shared.ranks());
    return context;
}

class Pstran : public Way {
public:
    explicit Pstran(const Shared& shared)
        : rows_(shared.rows.count),
          cols_(shared.cols.count),
          context_(grid_of(shared)),
          a_(cols_, shared.rows, context_),
          c_(rows_, shared.cols, context_),
          in_(shared.in_size() + 1),
          out_(shared.out_size() + 1) {}
    ~Pstran() override { Cblacs_gridexit(context_); }
    float* in() override { return in_.data(); }
    float* out() override { return out_.data(); }
    void transpose() override {
        const float one = 1, zero = 0;
        const int first = 1;
        pstran_(&rows_, &cols_, &one, in_.data(), &first, &first, a_.fields, &zero, out_.data(),
                &first, &first, c_.fields);
    }

private:
    int rows_, cols_, context_;
    Descriptor a_, c_;
    std::vector<float> in_, out_;
};

}  // namespace

std::unique_ptr<Way> make_pstran(const Shared& shared) {
    return std::make_unique<Pstran>(shared);
}

}  // namespace coalesce::processes
