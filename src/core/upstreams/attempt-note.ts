/** Why an upstream was chosen: the property that distinguished it from the other candidates. */
export const choiceReasons = [
  'only',
  'priority',
  'weight',
  'load',
  'sticky',
  'credential',
  'last_resort',
  'queued',
] as const
export type ChoiceReason = (typeof choiceReasons)[number]

/** The kinds of changes that the policy of a route makes to a request. */
export const requestChanges = ['dropped', 'clamped', 'renamed', 'set', 'sent'] as const

export interface RequestChange {
  readonly change: (typeof requestChanges)[number]
  /** The field name in the body; for `sent`, the name of the header. */
  readonly field: string
  /** The limit that was applied, or the new name. */
  readonly to?: string
}

/** Why an upstream is tried. */
export interface AttemptChoice {
  readonly reason?: ChoiceReason
  /** How the previous attempt ended: a status, or one of `requestReasons`. */
  readonly retryAfter?: string
  /** The requested model, when a fallback model answers. */
  readonly fallbackFrom?: string
}

/** The record of one attempt at one upstream, besides its result. */
export interface AttemptNote extends AttemptChoice {
  readonly changes?: readonly RequestChange[]
  /** The status that the upstream itself returned when it failed. */
  readonly answered?: number
}

const noteCharactersMax = 300

/** The text for the log. A note that would be too long omits the last changes. */
export function noteText(note: AttemptNote): string {
  let changes = note.changes ?? []
  for (;;) {
    const text = JSON.stringify(
      changes.length === 0 ? { ...note, changes: undefined } : { ...note, changes },
    )
    if (text.length <= noteCharactersMax || changes.length === 0) return text
    changes = changes.slice(0, -1)
  }
}
