import { endUserKind } from '../../../recording/definition/end-user.ts'
import { body, id, moment, query } from '../inputs.ts'
import { managedBodies } from '../managed-bodies.ts'
import { limit, pageRows, requestCursor, requestId } from '../paging.ts'
import {
  erasedRecordings,
  recordingState,
  recordingsAnswer,
  revealedRecording,
} from '../recordings.ts'
import type { OperationTable } from './operation.ts'

const filters = {
  request: requestId,
  key: id,
  endUser: endUserKind.wire,
  /** `to` is exclusive. */
  from: moment,
  to: moment,
  before: requestCursor,
}

export const recordingOperations = {
  'GET /accounts/{id}/recording': {
    who: 'member',
    owns: 'path-account',
    summary: 'Get what an account records, and who may read it',
    answer: recordingState,
  },
  'PATCH /accounts/{id}/recording': {
    who: 'member',
    owns: 'path-own-account',
    role: 'owner',
    isFresh: true,
    summary: 'Change what an account records, and who may read it; not for operators',
    body: managedBodies.recordingEdit,
    answer: recordingState,
  },
  'GET /accounts/{id}/recordings': {
    who: 'member',
    owns: 'path-recordings',
    summary: 'List recordings without their contents, newest first',
    query: query({ ...filters, limit: limit(pageRows.recordings) }),
    answer: recordingsAnswer,
  },
  'POST /accounts/{id}/recordings/export': {
    who: 'member',
    owns: 'path-recordings',
    isFresh: true,
    summary: 'Export recordings with their contents as JSON Lines, newest first',
    query: query(filters),
    answer: null,
    fileTypes: ['application/x-ndjson'],
  },
  'POST /accounts/{id}/recordings/erase': {
    who: 'member',
    owns: 'path-account',
    role: 'owner',
    summary: 'Erase every recording of an end user',
    body: body({ endUser: endUserKind.wire }),
    answer: erasedRecordings,
  },
  'POST /recordings/{id}/reveal': {
    who: 'member',
    owns: 'path-recording',
    isFresh: true,
    summary: 'Reveal the bodies of a recorded request',
    answer: revealedRecording,
  },
} as const satisfies OperationTable
