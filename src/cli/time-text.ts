export function timeText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
