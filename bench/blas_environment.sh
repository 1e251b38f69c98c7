# To be sourced: OpenBLAS takes CPUs it does not know for a Prescott of 2004.
if grep -qw avx512f /proc/cpuinfo; then
  export OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-SkylakeX}
fi
