import { createHash } from 'node:crypto'
import { canonicalJson } from '../../wire/canonical-json.ts'
import { Refusal } from '../refusal.ts'

/** A strong entity tag of a resource as it is shown: another one as soon as any member is. */
export function entityTagOf(shown: unknown): string {
  const digest = createHash('sha256').update(canonicalJson(shown)).digest('base64url')
  return `"${digest.slice(0, 27)}"`
}

const oneTag = /\s*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(,|$)/y

interface Tag {
  readonly isWeak: boolean
  readonly text: string
}

/** `*`, or the tags of a list; undefined when it is neither. */
function readTags(header: string): '*' | readonly Tag[] | undefined {
  if (header.trim() === '*') return '*'
  const tags: Tag[] = []
  oneTag.lastIndex = 0
  for (;;) {
    const [, weak, text, separator] = oneTag.exec(header) ?? []
    if (text === undefined) return undefined
    tags.push({ isWeak: weak !== undefined, text })
    if (separator === '') return tags
  }
}

/**
 * Refuses a change whose `If-Match` or `If-None-Match` does not fit. `tag` is that of the resource now; undefined when
 * there is none. `If-None-Match: *` makes and never replaces. What cannot be read fits nothing. Compare inside the
 * transaction that changes the resource, with a tag of what that transaction has read: see `TagGuard`.
 */
export function checkPrecondition(headers: Headers, tag: string | undefined): void {
  const match = headers.get('if-match')
  if (match !== null && !isMatch(match, tag)) throw notAsExpected(tag)
  const noneMatch = headers.get('if-none-match')
  if (noneMatch !== null && !isNoneMatch(noneMatch, tag)) throw notAsExpected(tag)
}

/** A weak tag never says that two are the same to the byte. */
function isMatch(header: string, tag: string | undefined): boolean {
  if (tag === undefined) return false
  const tags = readTags(header)
  return tags === '*' || (tags?.some((each) => !each.isWeak && each.text === tag) ?? false)
}

function isNoneMatch(header: string, tag: string | undefined): boolean {
  const tags = readTags(header)
  if (tags === undefined) return false
  return tag === undefined || (tags !== '*' && tags.every((each) => each.text !== tag))
}

function notAsExpected(tag: string | undefined): Refusal {
  const message =
    'The resource is not in the state that If-Match or If-None-Match expects. Read it again, then repeat the change.'
  return new Refusal(
    'precondition_failed',
    message,
    tag === undefined ? {} : { headers: { etag: tag } },
  )
}
