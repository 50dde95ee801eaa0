/** Whether the runtime knows the time zone. Only names count: an offset such as `+02:00` has no calendar of its own. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
