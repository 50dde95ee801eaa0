const bytesOfUnit: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
}

/** Reads `33554432`, `32MiB` or `1.5 GB` as bytes. */
export function readSize(input: string | number): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-zA-Z]*)$/.exec(String(input).trim())
  const unit = bytesOfUnit[match?.[2]?.toLowerCase() ?? '?']
  if (!match || unit === undefined) return undefined
  const bytes = Number(match[1]) * unit
  return Number.isSafeInteger(bytes) ? bytes : undefined
}
