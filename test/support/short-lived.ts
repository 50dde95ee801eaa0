/**
 * Environment of gateways and commands that run for seconds. The script engine compiles a function for the first time
 * after ten times as many calls as usual, and never optimizes one: a gateway that answers a hundred requests, or a
 * thousand, ends before optimized code repays its cost. A start with a thousand requests takes a third less CPU time.
 */
export const shortLived: Readonly<Record<string, string>> = {
  BUN_JSC_thresholdForJITAfterWarmUp: '5000',
  BUN_JSC_useDFGJIT: '0',
}
