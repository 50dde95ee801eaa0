import { longBodyLength, turns } from '../../core/turns.ts'
import { mayHoldSealed, sealMarkLengthMax } from '../../protocols/fit/seal-opaque.ts'
import type { JsonBody } from '../../protocols/protocol.ts'

/** `mayHoldSealed` of a long body, a piece of it a turn. */
export async function searchSealed({ text, cuts }: JsonBody): Promise<boolean> {
  const whole = cuts && Buffer.from(cuts.bytes.buffer, cuts.bytes.byteOffset, cuts.bytes.length)
  const length = whole?.length ?? text.length
  for (let at = 0; at < length; at += longBodyLength) {
    await turns.next()
    const end = at + longBodyLength + sealMarkLengthMax
    // The marks are ASCII, and so is nothing inside of another character.
    if (mayHoldSealed(whole ? whole.toString('latin1', at, end) : text.slice(at, end))) return true
  }
  await turns.next()
  return false
}
