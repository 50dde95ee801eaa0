import type { Kind } from './kind.ts'

/** What a person has written, as the APIs carry it; undefined when it is not as it must be. */
export function writtenToWire<Value, Wire>(
  { written, show }: Kind<Value, Wire>,
  text: unknown,
): Wire | undefined {
  const reading = written.safeParse(text)
  return reading.success ? show(reading.data) : undefined
}
