import { createHash } from 'node:crypto'
import { canonicalJson } from '../../wire/canonical-json.ts'
import { ApiRefusal, wrongField } from '../refusal.ts'

/** The entity tag of a resource. It changes with any setting, but not with figures such as a balance. */
export function entityTagOf(settings: unknown): string {
  const digest = createHash('sha256').update(canonicalJson(settings)).digest('base64url')
  return `"${digest.slice(0, 27)}"`
}

/** Pattern of If-Match and If-None-Match in the OpenAPI description. */
export const tagsPattern = '^(?:\\*|(?:W/)?"[!#-~]*"(?: *, *(?:W/)?"[!#-~]*")*)$'
/** A tag with the commas around it: a list may have empty elements (RFC 9110, 5.6.1). */
const oneTag = /[\s,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(,[\s,]*$|,|$)/y

interface Tag {
  readonly isWeak: boolean
  readonly text: string
}

/** `*`, or a list of tags. */
type Tags = '*' | readonly Tag[]

/** The expected state of a resource, from `If-Match` and `If-None-Match`. */
export interface Preconditions {
  readonly match: Tags | undefined
  readonly noneMatch: Tags | undefined
}

/** Refuses headers that are not lists of tags. */
export function readPreconditions(headers: Headers): Preconditions {
  return { match: readTags(headers, 'if-match'), noneMatch: readTags(headers, 'if-none-match') }
}

function readTags(headers: Headers, name: string): Tags | undefined {
  const header = headers.get(name)
  if (header === null) return undefined
  if (header.trim() === '*') return '*'
  const tags: Tag[] = []
  oneTag.lastIndex = 0
  for (;;) {
    const [, weak, text, separator] = oneTag.exec(header) ?? []
    if (text === undefined) throw wrongField(name, 'tags_wrong')
    tags.push({ isWeak: weak !== undefined, text })
    if (separator !== ',' || oneTag.lastIndex === header.length) return tags
  }
}

/**
 * Refuses a change of a resource that is not in the expected state. `tag` is the current tag of the resource; undefined
 * if there is no resource. `If-None-Match: *` creates and never replaces. Call it inside the transaction of the change,
 * with the tag that this transaction has read: see `TagGuard`.
 */
export function checkPreconditions(
  { match, noneMatch }: Preconditions,
  tag: string | undefined,
): void {
  if (match !== undefined && !isMatch(match, tag)) throw notAsExpected(tag)
  if (noneMatch !== undefined && !isNoneMatch(noneMatch, tag)) throw notAsExpected(tag)
}

/** A weak tag never matches strongly. */
function isMatch(tags: Tags, tag: string | undefined): boolean {
  if (tag === undefined) return false
  return tags === '*' || tags.some((each) => !each.isWeak && each.text === tag)
}

function isNoneMatch(tags: Tags, tag: string | undefined): boolean {
  return tag === undefined || (tags !== '*' && tags.every((each) => each.text !== tag))
}

function notAsExpected(tag: string | undefined): ApiRefusal {
  const message =
    'The resource is not in the state that If-Match or If-None-Match expects. Read it again, then repeat the change.'
  return new ApiRefusal(
    'precondition_failed',
    message,
    tag === undefined ? {} : { headers: { etag: tag } },
  )
}
