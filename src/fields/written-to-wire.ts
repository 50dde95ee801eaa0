import type { Kind } from './kind.ts'

/** Converts a value as a person writes it to the form of the APIs; undefined when the value is invalid. */
export function writtenToWire<Value, Wire>(
  { written, show }: Kind<Value, Wire>,
  text: unknown,
): Wire | undefined {
  const reading = written.safeParse(text)
  return reading.success ? show(reading.data) : undefined
}
