import { type Engine, RefusedStoreError } from '../../store/engine.ts'
import type { ShapedRecord } from '../../store/shape.ts'
import { parseJson } from '../../wire/json.ts'

/** Keeps lists of records that the database refuses; resolves when they are on the disk. */
export type SetAsideRecords = (texts: readonly string[]) => Promise<void>

/**
 * Applies JSON lists of records. Those that the database refuses because of what is in them are set aside, request by
 * request, so that they hold up no others. Every other failure is thrown: all of it may be applied again later, and
 * what is applied already does not change.
 */
export async function applyOrSetAside(
  engine: Engine,
  texts: readonly string[],
  setAside: SetAsideRecords,
): Promise<void> {
  const refused: string[] = []
  await apply(engine, texts, refused)
  // Only now: what is tried again would be set aside again.
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

/** The records of one request. The first is its entry if it has one: without that, none of the others is written. */
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

/** False when the database refuses something in it. */
async function isTaken(engine: Engine, texts: readonly string[]): Promise<boolean> {
  try {
    await engine.applyRecords(texts)
    return true
  } catch (error) {
    if (error instanceof RefusedStoreError) return false
    throw error
  }
}

/** One list for each request: the first value of every record is the request's id. */
function requestsIn(text: string): string[] {
  const requests = Map.groupBy(recordsIn(text), ([, requestId]) => requestId)
  return [...requests.values()].map((records) => JSON.stringify(records))
}

export function recordsIn(text: string): ShapedRecord[] {
  const records = parseJson(text)
  return Array.isArray(records) ? (records as ShapedRecord[]) : []
}
