import { z } from 'zod'
import { type EditWireOf, shownShape } from '../../fields/definition.ts'
import { recordingPolicyDefinition } from '../../recording/definition/policy.ts'
import { list, page, timeMs } from './shapes.ts'

/** The recording settings of an account, and the amount that is stored. */
export const recordingState = z.strictObject({
  /** `keyIds`: for owners of the account all recorded keys, for others their own ones among them. */
  ...shownShape(recordingPolicyDefinition.fields),
  /** Whether the operator lets accounts record at all. */
  isAllowed: z.boolean(),
  /** Null unless you own the account. */
  storedBytes: z.number().nullable(),
  storedBytesMax: z.number(),
  /** The gateway keeps nothing longer. */
  retentionDaysMax: z.number(),
  /** Whether you may read recordings of this account, at least those of your own keys. */
  mayRead: z.boolean(),
})
export type RecordingState = z.infer<typeof recordingState>

/** PATCH /accounts/{id}/recording → RecordingState */
export type RecordingEdit = EditWireOf<typeof recordingPolicyDefinition>

const head = {
  requestId: z.string(),
  at: timeMs,
  accountId: z.string(),
  keyId: z.string(),
  protocol: z.string(),
  model: z.string().nullable(),
  status: z.number(),
}

export const recordingRow = z.strictObject({
  ...head,
  requestBytes: z.number(),
  responseBytes: z.number(),
})
export type RecordingRow = z.infer<typeof recordingRow>

export const recordingsAnswer = z.strictObject({ ...page.shape, rows: list(recordingRow) })
export type RecordingsAnswer = z.infer<typeof recordingsAnswer>

const recordedText = z.strictObject({
  text: z.string(),
  /** base64 for a body that is not text. */
  encoding: z.enum(['utf-8', 'base64']),
  /** The length of the whole body; longer than the text if the text was cut. */
  bytes: z.number(),
  isCut: z.boolean(),
})
export type RecordedText = z.infer<typeof recordedText>

/** A recording with its bodies; a line of the export has the same members. */
export const revealedRecording = z.strictObject({
  ...head,
  endUsers: list(z.string()),
  request: recordedText,
  response: recordedText,
})
export type RevealedRecording = z.infer<typeof revealedRecording>

export const erasedRecordings = z.strictObject({ erased: z.number() })
export type ErasedRecordings = z.infer<typeof erasedRecordings>
