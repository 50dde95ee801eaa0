import { z } from 'zod'
import { idKind } from '../../fields/kinds.ts'
import { readInput } from '../http/read-input.ts'
import { ApiRefusal } from '../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../routes/route.ts'

/** The same call with another parsed body. */
export function withBody<Body>(
  call: Omit<SignedInCall, 'body' | 'query'>,
  body: Body,
): Omit<SignedInCall, 'body' | 'query'> & { query: never; body(): Promise<Body> } {
  return { ...call, query: undefined as never, body: async () => body }
}

const newId = z.strictObject({ id: idKind.wire })

/** The path accepts ids that only older resources have. */
export function checkNewId(id: string): void {
  readInput(newId, { id }, 'body')
}

interface Put<Body> {
  readonly id: string
  isThere(): Promise<unknown>
  make(): Promise<JsonAnswer<Body>>
  replace(): Promise<JsonAnswer<Body>>
}

/**
 * Creates the resource with this id, or replaces its settings; sending it again has no further effect. If the resource
 * is created or deleted concurrently, tries once more the other way.
 */
export async function putById<Body>(put: Put<Body>): Promise<JsonAnswer<Body>> {
  try {
    return await putOnce(put)
  } catch (error) {
    const isOvertaken =
      error instanceof ApiRefusal && (error.code === 'conflict' || error.code === 'not_found')
    if (!isOvertaken) throw error
    return putOnce(put)
  }
}

async function putOnce<Body>({ id, isThere, make, replace }: Put<Body>): Promise<JsonAnswer<Body>> {
  if (await isThere()) return replace()
  checkNewId(id)
  return { ...(await make()), status: 201 }
}
