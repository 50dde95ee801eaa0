const million = 1_000_000

/**
 * `ceil(perMillion * factorMicro / 10^12)`, exactly, without big integers, which cost more than the rest of the
 * calculation. Undefined when an intermediate amount is too large for an exact number; `perMillion` itself may be too
 * large.
 */
export function scaleCost(perMillion: number, factorMicro: number): number | undefined {
  if (!Number.isSafeInteger(perMillion)) return undefined
  const small = perMillion % million
  const large = (perMillion - small) / million
  const ofSmall = small * factorMicro
  const rest = ofSmall % million
  const whole = large * factorMicro + (ofSmall - rest) / million
  if (!Number.isSafeInteger(ofSmall) || !Number.isSafeInteger(whole)) return undefined
  const fraction = whole % million
  return (whole - fraction) / million + (fraction > 0 || rest > 0 ? 1 : 0)
}
