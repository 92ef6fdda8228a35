# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# shellcheck shell=bash
#
# The parts of acceptance.sh, which reads this file: tests_part, speed_part and pytorch_part. Each runs its
# steps by check, and its rows are all that it leaves but files.
# shellcheck disable=SC2154 # of acceptance.sh: variables
# shellcheck disable=SC2034 # what is set here is read there

workloads=(mnist_cnn resunetpp)
precisions=(fp32 bf16 fp16 tf32)
for_speed=130   # kept for it at least
whole_speed=340 # about what it takes on an H200
samples=1280    # of the generated data set; 1024 of them are for training

# The tests of gpu_test that did not pass, each by itself.
tests_again() {
  local left code=0
  left=$(time_left)
  if ((left <= 10)); then
    row "not run" 0 "those that did not pass, each by itself (the time is up)"
    unfinished[$current]=1
    return
  fi
  timeout -k 5 $((left < 60 ? left : 60)) "$tree/bin/gpu_test" --gtest_list_tests >"$scratch/list.txt" 2>&1 || code=$?
  if ((code)); then
    row FAILED 0 "gpu_test cannot list its tests (code $code: $(last_line "$scratch/list.txt"))"
    return
  fi
  "$steps" rest "$step" "$scratch/list.txt" >"$scratch/again.txt"
  local resume=0 # others than the last time, perhaps
  check "those that did not pass, each by itself" "$1" "$steps" alone "$scratch/failing.txt" \
    "$scratch/again.txt" "$tree/bin/gpu_test"
}

# sanitized TOOL OF SECONDS COMMAND...: a step below compute-sanitizer.
sanitized() {
  local tool=$1 of=$2 limit=$3 options
  shift 3
  case $tool in
    # Libraries ask the driver for what it may not have: calls that fail, and are no faults.
    memcheck) options=(--report-api-errors no) ;;
    # The own kernels: those of libraries are not for this to judge, and slow.
    racecheck) options=(--kernel-name kns=dlbench) ;;
  esac
  check "compute-sanitizer $tool, $of" "$limit" "$steps" sanitizer "$step" "$sanitizer" --tool "$tool" \
    "${options[@]}" --error-exitcode 1 "$@"
}

run_sanitizer() {
  local name failing=()
  sanitizer=$(timeout -k 2 10 "$steps" find_sanitizer || true)
  if [ -z "$sanitizer" ]; then
    row skipped 0 "compute-sanitizer is not installed"
    return
  fi
  if [ -e "$scratch/failing.txt" ]; then
    mapfile -t failing < <(head -n 2 "$scratch/failing.txt")
  fi
  for name in "${failing[@]}"; do
    sanitized memcheck "$name" 60 "$tree/bin/gpu_test" --gtest_filter="$name"
  done
  sanitized memcheck "steps of mnist_cnn" 120 "$dlbench" verify --workload mnist_cnn --backend cuda
  sanitized memcheck "a step of resunetpp, 2 x 32 x 32" 120 "$dlbench" verify --workload resunetpp \
    --image-size 32 --batch-size 2 --steps 1 --backend cuda
  # No part of what has to be shown: where there is time, with the whole of speed behind it.
  if (($(time_left) >= ($1 ? 60 + whole_speed - for_speed : 60))); then
    sanitized racecheck "a step of mnist_cnn" 120 "$dlbench" verify --workload mnist_cnn --steps 1 \
      --backend cuda
  else
    row skipped 0 "compute-sanitizer racecheck, a step of mnist_cnn (no time for it)"
  fi
}

tests_part() {
  local limit=400 again=240 speed_follows=0 precision workload
  local all_tests="tests that need a GPU, every op in every precision among them"
  if [ "$part" = all ]; then
    limit=150
    again=120
    reserve=$for_speed
    speed_follows=1
  fi
  if ! grep -qxF -- "$all_tests" "$scratch/passed.txt"; then
    rm -f "$output/device_properties.json" # of an earlier call
  fi
  if [ -x "$tree/bin/gpu_test" ]; then
    export DLBENCH_DEVICE_PROPERTIES=$output/device_properties.json
    check "$all_tests" "$limit" "$steps" gpu_test \
      "$step" "$tree/bin/gpu_test" "$unsupported"
    skipped_is_failed
    if ((code != 0 && code != 77)); then
      tests_again "$again"
    fi
  else
    row "not run" 0 "tests that need a GPU (no $tree/bin/gpu_test; see --help)"
    failed=1
    check "every op against the reference" 200 "$dlbench" verify --op all --backend cuda
  fi
  for precision in "${precisions[@]}"; do
    for workload in "${workloads[@]}"; do
      check "verify $workload $precision" 60 "$dlbench" verify --workload "$workload" \
        --backend cuda --precision "$precision"
    done
  done
  for precision in fp32 bf16; do
    check "verify resunetpp $precision, convolutions as they are measured" 60 "$dlbench" verify \
      --workload resunetpp --backend cuda --precision "$precision" --conv-algorithm auto
  done
  run_sanitizer "$speed_follows"
}

# rows_of REPORT NAME COMMAND...: a row for each line, "STATE TEXT", that a command prints of a report.
rows_of() {
  local report=$1 name=$2 state text said=0
  shift 2
  [ -e "$report" ] || return 0 # has_report says so
  timeout -k 2 10 "$@" "$report" >"$scratch/rows.txt" 2>&1 || said=$?
  while read -r state text; do
    row "$state" 0 "$name: $text"
  done <"$scratch/rows.txt"
  if timed_out "$said"; then
    row FAILED 0 "$name: what reads its report did not end within 10 s"
  fi
  return "$said"
}

# has_report REPORT NAME: a step that was skipped, or passed without one, has shown nothing. The row of one that
# failed says why it has none.
has_report() {
  if [ ! -e "$1" ] && ((code == 0 || code == 2 || code == 77)); then
    failed=1
    row FAILED 0 "$2: no report of trials was written"
  fi
}

# rates REPORT NAME: a row for each of its trials and taints.
rates() {
  has_report "$@"
  rows_of "$1" "$2" python3 "$here/bars.py" --rates || failed=1
}

# At least a thousand samples for the trials that load; made once in the cache folder. Sets data_options.
generate_data() {
  local folder=$DLBENCH_CACHE_DIR/acceptance-kvasir-seg-$samples
  data_options=()
  if [ ! -e "$folder/complete" ]; then
    rm -rf "$folder"
    check "$samples generated samples" 90 "$dlbench" data generate --dataset kvasir-seg --out "$folder/data" \
      --samples "$samples" --seed 1
    if ((code)); then
      rm -rf "$folder"
      return
    fi
    touch "$folder/complete"
  fi
  data_options=(--data "$folder/data" --cache warm)
}

# Sets precision: the first that this GPU has of those that a step is measured in.
choose_precision() {
  local why='' code left
  left=$(time_left)
  for precision in bf16 fp16 fp32; do
    ((left >= 10)) || return 0 # no step begins
    code=0
    timeout -k 5 $((left < 60 ? left : 60)) "$dlbench" run --workload mnist_cnn --device cuda \
      --precision "$precision" --dry-run >"$step" 2>&1 || code=$?
    ((code == 2)) && [[ $(last_line "$step") == *"$unsupported"* ]] || break
    why=$(last_line "$step")
  done
  if [ -n "$why" ]; then
    row info 0 "trials are in $precision ($why)"
  fi
}

# Sets how: a run of WORKLOAD, which is tuned for the batch that it is measured with.
how_to_run() {
  how=(--workload "$1" --device cuda --precision "$precision")
  if [ "$1" = resunetpp ]; then
    how+=(--batch-size 32) # of which the bars are
  fi
}

# trials WORKLOAD BUDGET OPTION...: tunes first, for that is no part of what the budget is for; then the
# trials with all probes. The report is $scratch/archive/WORKLOAD.json.
trials() {
  local workload=$1 budget=$2 report=$scratch/archive/$1.json tuning=180 how
  how_to_run "$workload"
  shift 2
  [ "$part" != all ] || tuning=120
  check "$workload, $precision: convolutions are tuned" "$tuning" "$dlbench" run "${how[@]}" \
    --trials synthetic/device --steps 3 --repetitions 2 --max-time 5s --probes none \
    --output "$scratch/tuned.json"
  # Operators and probes have repetitions of their own, behind what the budget is for.
  check "trials of $workload, $precision, with all probes" $((budget + 90)) "$dlbench" run "${how[@]}" \
    --trials io,synthetic/device,synthetic/host,full --time-budget "${budget}s" "$@" \
    --record-probes "$scratch/archive/probes/$workload" --output "$report"
  rates "$report" "$workload"
  rows_of "$report" "$workload" python3 "$here/probe_rows.py" || failed=1 # a probe ends no run
}

measure_bandwidth() {
  if [ -x "$tree/bin/gpu_bandwidth" ]; then
    check "bandwidth of memory-bound kernels" 150 "$tree/bin/gpu_bandwidth" --output "$output/bandwidth.json"
    skipped_is_failed
    if ((code == 0)); then
      grep -E '^[a-z_+/]+ .* of copy$' "$step" | sort -k5 -n | head -n 3 >"$scratch/slowest.txt" || true
      while read -r line; do row info 0 "among the slowest: $(tr -s ' ' <<<"$line")"; done <"$scratch/slowest.txt"
    fi
  else
    row "not run" 0 "bandwidth of memory-bound kernels (no $tree/bin/gpu_bandwidth; see --help)"
    failed=1
  fi
}

# Raw records, traces and the other reports as one file.
pack_archive() {
  local line left limit code=0
  left=$(time_left)
  limit=$((left > 60 ? 60 : left > 5 ? left : 5))
  timeout -k 2 "$limit" "$steps" pack "$scratch" "$output/archive.tar.gz" >"$scratch/packed.txt" || code=$?
  if ((code)); then
    rm -f "$output/archive.tar.gz" # half of it is none
    row info 0 "archive.tar.gz: not written (code $code, $limit s)"
  fi
  while read -r line; do row info 0 "archive.tar.gz: $line"; done <"$scratch/packed.txt"
}

speed_part() {
  local budget=45 peaks=180 graph workload precision how data_options=()
  reserve=0
  if [ "$part" = all ] && (($(time_left) < whole_speed - 10)); then
    budget=20
    peaks=70 # 47 s on an H200
  fi
  rm -f "$output"/{resunetpp.json,bandwidth.json,archive.tar.gz} # of an earlier call
  mkdir -p "$scratch/archive/probes/resunetpp" "$scratch/archive/probes/mnist_cnn"
  check "measured peaks" "$peaks" "$dlbench" info --measure-peaks --device cuda
  cat "$step" >>"$output/info.txt"
  choose_precision
  # What bars are of comes before the rest.
  generate_data
  trials resunetpp "$budget" "${data_options[@]}"
  if [ -s "$scratch/archive/resunetpp.json" ]; then
    mv "$scratch/archive/resunetpp.json" "$output/resunetpp.json"
  fi
  measure_bandwidth
  trials mnist_cnn "$budget" --trace "$scratch/archive/probes/mnist_cnn/trace.json"
  for workload in resunetpp mnist_cnn; do
    how_to_run "$workload"
    for graph in on off; do
      check "$workload, $precision, --cuda-graph $graph" 60 "$dlbench" run "${how[@]}" --trials synthetic/device \
        --cuda-graph "$graph" --time-budget 10s --probes none \
        --output "$scratch/archive/$workload-graph-$graph.json"
      rates "$scratch/archive/$workload-graph-$graph.json" "$workload, $precision, --cuda-graph $graph"
    done
  done
  pack_archive
}

# Sets has_torch. Importing it takes its time; that it is there is known at once.
look_for_torch() {
  local code=0
  timeout -k 2 10 python3 -c 'import importlib.util, sys
sys.exit(0 if importlib.util.find_spec("torch") else 3)' >/dev/null 2>&1 || code=$?
  has_torch=$((code != 3)) # one that does not answer is PyTorch's part to judge
}

pytorch_part() {
  local left=$((deadline - SECONDS)) again=()
  if ((resume)); then
    mapfile -t again < <(cut -d, -f1 <<<"$gpus")
    again=(--resume --on "${again[@]}")
  else
    rm -f "$output/pytorch.json" # of an earlier call
  fi
  reserve=0
  if ((! has_torch)); then
    row skipped 0 "PyTorch beside it (python3 has no PyTorch)"
    return
  fi
  check "PyTorch beside it" "$deadline" python3 "$here/compare_pytorch.py" --dlbench "$dlbench" \
    --max-time $((left > 40 ? left - 20 : 20)) --output "$output/pytorch.json" "${again[@]}"
  [[ $(last_line "$step") == *"No module named 'torch'"* ]] || skipped_is_failed
  sed -n '/^resunetpp /,$p' "$step"
  # It ends by itself before its time is up.
  if ((code == 1)) && grep -qE 'not run: no time left|did not end within' "$step"; then
    unfinished[pytorch]=1
  fi
}
