import { type Engine, RefusedStoreError } from '../../store/engine.ts'
import type { ShapedRecord } from '../../store/units/shape.ts'
import { parseJson } from '../../wire/json.ts'

/** Stores lists of records that the database refuses; resolves when they are on the disk. */
export type SetAsideRecords = (texts: readonly string[]) => Promise<void>

/**
 * Applies JSON lists of records. Records that the database refuses because of their content are set aside, request by
 * request, so that they do not block others. Every other failure is thrown: the caller can apply everything again
 * later, and records that are already applied do not change.
 */
export async function applyOrSetAside(
  engine: Engine,
  texts: readonly string[],
  setAside: SetAsideRecords,
): Promise<void> {
  const refused: string[] = []
  await apply(engine, texts, refused)
  // Set aside at the end, because a failed attempt is repeated and would set the records aside twice.
  if (refused.length > 0) await setAside(refused)
}

async function apply(engine: Engine, texts: readonly string[], refused: string[]): Promise<void> {
  if (await isTaken(engine, texts)) return
  const [text = '[]'] = texts
  const parts = texts.length > 1 ? texts : requestsIn(text)
  if (parts.length > 1) {
    const half = parts.length >> 1
    await apply(engine, parts.slice(0, half), refused)
    await apply(engine, parts.slice(half), refused)
    return
  }
  await applyOne(engine, text, refused)
}

/**
 * Applies the records of one request. The first record is the entry, if there is one; without the entry, none of the
 * others is written.
 */
async function applyOne(engine: Engine, text: string, refused: string[]): Promise<void> {
  const [first, ...others] = recordsIn(text)
  const isWhole = others.length === 0 || !(await isTaken(engine, [JSON.stringify([first])]))
  if (isWhole) {
    refused.push(text)
    return
  }
  for (const record of others) {
    const alone = JSON.stringify([record])
    if (!(await isTaken(engine, [alone]))) refused.push(alone)
  }
}

/** False when the database refuses one of the records. */
async function isTaken(engine: Engine, texts: readonly string[]): Promise<boolean> {
  try {
    await engine.applyRecords(texts)
    return true
  } catch (error) {
    if (error instanceof RefusedStoreError) return false
    throw error
  }
}

/** One list for each request. The first value of every record is the request id. */
function requestsIn(text: string): string[] {
  const requests = Map.groupBy(recordsIn(text), ([, requestId]) => requestId)
  return [...requests.values()].map((records) => JSON.stringify(records))
}

export function recordsIn(text: string): ShapedRecord[] {
  const records = parseJson(text)
  return Array.isArray(records) ? (records as ShapedRecord[]) : []
}
