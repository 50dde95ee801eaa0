import type { Generated } from 'kysely'

/** A recorded request with its response; see `recordings`. */
export interface RecordingTable {
  request_id: string
  account_id: string
  key_id: string
  protocol: string
  model: string | null
  status: number
  /** Keyed hash of the end user's id; null when the request names none. */
  end_user_hash: string | null
  /** The same for a second id, in protocols with two fields for it. */
  other_user_hash: string | null
  /** The sizes of the bodies before a long one was cut. */
  request_bytes: number
  response_bytes: number
  /** The bytes that the row counts towards the limit of its account. */
  stored_bytes: number
  content_sealed: string
}

/** The rules of an account for recording. Without a row nothing is recorded. */
export interface RecordingPolicyTable {
  account_id: string
  /** `off`, `keys` or `all`. */
  scope: string
  /** JSON list: the recorded keys, with the scope `keys`. */
  key_ids: string
  /** `owners`, `own-keys` or `members`. */
  readers: string
  /** 1: operators of the gateway may read too. */
  operators: number
  retention_days: number
  /** The sum over the rows of the account. */
  stored_bytes: Generated<number>
}

/** Requests of this end user that arrived before `at` must not be recorded any more. */
export interface RecordingErasureTable {
  account_id: string
  user_hash: string
  at: number
}

export interface RecordingTables {
  recording: RecordingTable
  recording_policy: RecordingPolicyTable
  recording_erasure: RecordingErasureTable
}
