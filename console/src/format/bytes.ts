const steps = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const

/** `512 B`, `1.5 KiB`, `256 MiB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = steps.find(([, least]) => bytes >= least) ?? ['B', 1]
  const amount = bytes / size
  return `${Number(amount.toFixed(amount < 10 ? 1 : 0))} ${unit}`
}
