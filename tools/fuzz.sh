#!/bin/bash
# fuzz.sh SLIPSTICK SECONDS JOBS - fuzz the readers of scenes, results and FCLIB files, SECONDS each, in build-fuzz/.
# Seeds are made here: scenes of the project, and files that SLIPSTICK writes from them. What breaks a reader is kept in
# build-fuzz/NAME/ and fails the check.
set -euo pipefail
cd "$(dirname "$0")/.."
slipstick=$1 seconds=$2 jobs=$3
folder=build-fuzz

if [ ! -f $folder/Makefile ]; then
    cmake -S . -B $folder -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g" -DSLIPSTICK_TESTS=OFF \
        -DSLIPSTICK_FUZZ=ON >$folder.log 2>&1 || { cat $folder.log; exit 1; }
    mv $folder.log $folder/configure.log
fi
cmake --build $folder --parallel "$jobs" --target fuzz_scene fuzz_result fuzz_fclib -- --silent --no-print-directory

seeds=$folder/seeds
rm -rf $seeds
mkdir -p $seeds/scene $seeds/result $seeds/fclib
cp tests/cli/full_2d.json tests/cli/full_3d.json tests/cli/short/*.json scenes/*.json $seeds/scene/
find $seeds/scene -size +8k -delete
for scene in showcase slip_to_roll mass_ratio; do
    "$slipstick" run scenes/$scene.json --until 0.01 --quiet -o $seeds/result/$scene.h5 -o $seeds/result/$scene.csv \
        --dump-step 1 $seeds/fclib/$scene.hdf5 || true
done

# what HDF5 itself loses when a damaged file stops it half way is not ours; when a damaged size makes it ask for too much
# memory, it gets none, as from any system
echo "leak:libhdf5" >$folder/lsan.supp
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1024
export LSAN_OPTIONS=suppressions=../lsan.supp:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1 OPENBLAS_NUM_THREADS=1

# The HDF5 library itself breaks on some damaged files: a bad address met inside it, called by a reader, is not the reader's
# doing. What it writes beyond our memory would be, and is reported in another way.
is_hdf5s_own() # LOG
{
    grep -q "AddressSanitizer: \(SEGV\|FPE\)" "$1" && sed -n '/^    #0 /,/ in ss_/p' "$1" | grep -q libhdf5
}

for name in scene result fclib; do
    mkdir -p $folder/$name/corpus
    if ! (cd $folder/$name && ../fuzz_$name -seed=1 -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=300000 \
        -len_control=0 -print_final_stats=1 corpus ../seeds/$name >log 2>&1); then
        if is_hdf5s_own $folder/$name/log; then
            echo "fuzz_$name: ended by a fault inside libhdf5, not in the reader"
            continue
        fi
        tail -n 60 $folder/$name/log
        echo "fuzz_$name: broken by the input above, kept in $folder/$name/"
        exit 1
    fi
    grep -E "number_of_executed_units" $folder/$name/log | sed "s/^/fuzz_$name: /"
done
