import { z } from 'zod'
import type { Kind } from './kind.ts'

/** What a person has written, as the APIs carry it; undefined when it is not as it must be. */
export function wireOfWritten<Value, Wire>(
  { wire, written }: Kind<Value, Wire>,
  given: unknown,
): Wire | undefined {
  const reading = written.safeParse(given)
  return reading.success ? z.encode(wire, reading.data) : undefined
}
