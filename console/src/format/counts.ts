/** In full up to five digits, short above: `12,345`, `1.2M`. */
export function formatCount(count: number): string {
  if (Math.abs(count) < 100_000) return count.toLocaleString('en-US')
  return new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }).format(
    count,
  )
}

export function formatPercent(share: number): string {
  const digits = share !== 0 && Math.abs(share) < 0.1 ? 1 : 0
  return `${(share * 100).toFixed(digits)}%`
}
