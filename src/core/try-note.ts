/** Why an upstream was chosen: by what set it apart from the others that could be tried. */
export const choiceReasons = [
  'only',
  'priority',
  'weight',
  'load',
  'sticky',
  'credential',
  'last_resort',
] as const
export type ChoiceReason = (typeof choiceReasons)[number]

/** What the policy of a route changes in a request. */
export const requestChanges = ['dropped', 'clamped', 'renamed', 'set', 'sent'] as const

export interface RequestChange {
  readonly change: (typeof requestChanges)[number]
  /** As the body has it; of `sent`, the name of the header. */
  readonly field: string
  /** What it was limited to, or its new name. */
  readonly to?: string
}

/** Why an upstream is tried. */
export interface TryChoice {
  readonly reason?: ChoiceReason
  /** A status, or one of `requestReasons`: how the try before ended. */
  readonly retryAfter?: string
  /** The model that was asked for, when another stands in for it. */
  readonly fallbackFrom?: string
}

/** What is noted about one try at one upstream, besides how it ended. */
export interface TryNote extends TryChoice {
  readonly changes?: readonly RequestChange[]
  /** The status that the upstream itself gave when it failed. */
  readonly answered?: number
}

const noteCharactersMax = 300

/** As the log keeps it. One that would be too long leaves out the last changes. */
export function noteText(note: TryNote): string {
  let changes = note.changes ?? []
  for (;;) {
    const text = JSON.stringify(
      changes.length === 0 ? { ...note, changes: undefined } : { ...note, changes },
    )
    if (text.length <= noteCharactersMax || changes.length === 0) return text
    changes = changes.slice(0, -1)
  }
}
