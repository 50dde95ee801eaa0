import { createHash } from 'node:crypto'
import { canonicalJson } from '../../wire/canonical-json.ts'
import { ApiRefusal } from '../refusal.ts'

/** The entity tag of a resource. It changes with any setting, but not with figures such as a balance. */
export function entityTagOf(settings: unknown): string {
  const digest = createHash('sha256').update(canonicalJson(settings)).digest('base64url')
  return `"${digest.slice(0, 27)}"`
}

/** Pattern of If-Match and If-None-Match in the OpenAPI description. */
export const tagsPattern = '^(?:\\*|(?:W/)?"[!#-~]*"(?: *, *(?:W/)?"[!#-~]*")*)$'
const oneTag = /\s*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(,|$)/y

interface Tag {
  readonly isWeak: boolean
  readonly text: string
}

/** `*`, or a list of tags; `unreadable` otherwise. */
type Tags = '*' | 'unreadable' | readonly Tag[]

function readTags(headers: Headers, name: string): Tags | undefined {
  const header = headers.get(name)
  if (header === null) return undefined
  if (header.trim() === '*') return '*'
  const tags: Tag[] = []
  oneTag.lastIndex = 0
  for (;;) {
    const [, weak, text, separator] = oneTag.exec(header) ?? []
    if (text === undefined) return 'unreadable'
    tags.push({ isWeak: weak !== undefined, text })
    if (separator === '') return tags
  }
}

/**
 * Refuses a change whose `If-Match` or `If-None-Match` does not match. `tag` is the current tag of the resource;
 * undefined if there is no resource. `If-None-Match: *` creates and never replaces. An unreadable header matches
 * nothing. Call it inside the transaction of the change, with the tag that this transaction has read: see `TagGuard`.
 */
export function checkPrecondition(headers: Headers, tag: string | undefined): void {
  const match = readTags(headers, 'if-match')
  const noneMatch = readTags(headers, 'if-none-match')
  if (match !== undefined && !isMatch(match, tag)) throw notAsExpected(tag)
  if (noneMatch !== undefined && !isNoneMatch(noneMatch, tag)) throw notAsExpected(tag)
}

/** A weak tag never matches strongly. */
function isMatch(tags: Tags, tag: string | undefined): boolean {
  if (tag === undefined || tags === 'unreadable') return false
  return tags === '*' || tags.some((each) => !each.isWeak && each.text === tag)
}

function isNoneMatch(tags: Tags, tag: string | undefined): boolean {
  if (tags === 'unreadable') return false
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
