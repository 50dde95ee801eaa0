import type { recordingOperations } from '../contract/operations/recording-operations.ts'
import { eraseEndUser } from '../handlers/recordings/erase-end-user.ts'
import {
  exportRecordings,
  listRecordingRows,
  revealRecording,
} from '../handlers/recordings/read-recordings.ts'
import { changeRecording, readRecording } from '../handlers/recordings/recording-policy.ts'
import type { Handlers } from './route.ts'

export const recordingHandlers: Handlers<typeof recordingOperations> = {
  'GET /accounts/{id}/recording': readRecording,
  'PATCH /accounts/{id}/recording': changeRecording,
  'GET /accounts/{id}/recordings': listRecordingRows,
  'POST /accounts/{id}/recordings/export': exportRecordings,
  'POST /accounts/{id}/recordings/erase': eraseEndUser,
  'POST /recordings/{id}/reveal': revealRecording,
}
