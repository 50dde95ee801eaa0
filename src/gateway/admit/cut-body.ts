import { isUtf8 } from 'node:buffer'
import { turns } from '../../core/runtime/turns.ts'
import { CutJson, type CutRules, type JsonCut } from '../../wire/cut-json.ts'
import { CutStore } from '../../wire/cut-store.ts'
import { type TextCut, TextCuts } from '../../wire/text-cuts.ts'

/** Limits of one turn: a few milliseconds of work. */
const bytesATurn = 1024 * 1024
const cutsATurn = 2_000

/** If more text than this remains, shorter strings are cut out as well. */
const keptBytesMax = 1024 * 1024
const cutRules: readonly CutRules[] = [64 * 1024, 4 * 1024, 512].map((bytes) => ({
  stringBytesMin: bytes,
  fileBytesMin: bytes,
  skipped: [],
}))

export interface CutBody {
  /** The JSON text, with marks in place of the insides of long strings. */
  readonly text: string
  /** Undefined when nothing was cut out. */
  readonly cuts: TextCuts | undefined
  /** Why the body is not JSON, if this is already known. */
  readonly problem?: string
}

/** Cuts the insides of long strings out of a long body, in turns. The JSON reader gets the rest. */
export async function cutBody(
  bytes: Uint8Array,
  mint: (prefix: string) => string,
): Promise<CutBody> {
  await turns.next()
  if (!isUtf8(bytes)) return refused('it is not valid UTF-8')
  let found: readonly JsonCut[] = []
  for (const rules of cutRules) {
    const cutter = new CutJson(bytes, rules)
    do await turns.next()
    while (!cutter.run(bytesATurn))
    if (cutter.isBroken) return refused('it is not valid JSON')
    if (cutter.isUnclosed) return refused('a string is not closed')
    found = cutter.cuts
    if (bytes.length - lengthOf(found) <= keptBytesMax) break
  }
  return writeCut(bytes, found, mint)
}

async function writeCut(
  bytes: Uint8Array,
  found: readonly JsonCut[],
  mint: (prefix: string) => string,
): Promise<CutBody> {
  const store = new CutStore(mint, true)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const cuts: TextCut[] = []
  let text = ''
  let at = 0
  const readUpTo = async (end: number): Promise<void> => {
    while (at < end) {
      const next = Math.min(end, at + bytesATurn)
      if (next < end) await turns.next()
      text += decoder.decode(bytes.subarray(at, next), { stream: next < end })
      at = next
    }
  }
  for (const [index, { start, end }] of found.entries()) {
    if (index % cutsATurn === 0) await turns.next()
    if (start > at) await readUpTo(start)
    const inside = bytes.subarray(start, end)
    const mark = store.add(inside)
    if (mark === undefined) continue
    const position = { at: text.length, markLength: mark.length, bytes: inside }
    cuts.push({ ...position, characters: 0, meantCharacters: 0, escapes: 0 })
    text += mark
    at = end
  }
  await readUpTo(bytes.length)
  return { text, cuts: cuts.length > 0 ? new TextCuts(bytes, cuts, store) : undefined }
}

function refused(problem: string): CutBody {
  return { text: '', cuts: undefined, problem }
}

function lengthOf(cuts: readonly JsonCut[]): number {
  let length = 0
  for (const { start, end } of cuts) length += end - start
  return length
}
