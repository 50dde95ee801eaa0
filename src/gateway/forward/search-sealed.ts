import { longBodyLength, turns } from '../../core/runtime/turns.ts'
import { mayHoldSealed, sealMarkLengthMax } from '../../protocols/fit/seal-opaque.ts'
import type { JsonBody } from '../../protocols/request-facts.ts'

/** `mayHoldSealed` for a long body, one piece per turn. */
export async function searchSealed({ text, cuts }: JsonBody): Promise<boolean> {
  const whole = cuts && Buffer.from(cuts.bytes.buffer, cuts.bytes.byteOffset, cuts.bytes.length)
  const length = whole?.length ?? text.length
  for (let at = 0; at < length; at += longBodyLength) {
    await turns.next()
    const end = at + longBodyLength + sealMarkLengthMax
    // The marks are ASCII, and no byte inside a multi-byte character is.
    if (mayHoldSealed(whole ? whole.toString('latin1', at, end) : text.slice(at, end))) return true
  }
  await turns.next()
  return false
}
