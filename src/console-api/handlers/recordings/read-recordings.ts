import { firstRequestIdAt, timeOfRequestId } from '../../../core/id.ts'
import type { RecordedBody } from '../../../recording/content.ts'
import { recordingsFrom } from '../../../recording/erase-recordings.ts'
import { findPolicy } from '../../../recording/policy-store.ts'
import {
  findRecording,
  listRecordings,
  type RecordingFilter,
  type RecordingHead,
} from '../../../recording/read-recordings.ts'
import { change } from '../../changes/change.ts'
import { pageRows } from '../../contract/paging.ts'
import type {
  RecordedText,
  RecordingRow,
  RecordingsAnswer,
  RevealedRecording,
} from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer, ReadyAnswer, SignedInCall } from '../../routes/route.ts'
import { exportRows } from '../../rows/export-rows.ts'

/** Contents that an export holds in memory at a time; at least one recording. */
const exportBytes = 4 * 1024 * 1024
const exportRowsMax = 50

type Filters = CallOf<'POST /accounts/{id}/recordings/export'>['query']

export async function listRecordingRows(
  call: CallOf<'GET /accounts/{id}/recordings'>,
): Promise<JsonAnswer<RecordingsAnswer>> {
  const { engine, vault } = call.deps
  const { limit = pageRows.recordings, ...filters } = call.query
  const filter = await filterOf(call, filters)
  const heads = await listRecordings(engine.db, vault, filter, limit + 1)
  const rows = heads.slice(0, limit)
  const next = heads.length > limit ? (rows.at(-1)?.requestId ?? null) : null
  return { body: { rows: rows.map(rowOf), next } }
}

/** The audit log records the access before the bodies are read. */
export async function revealRecording(call: SignedInCall): Promise<JsonAnswer<RevealedRecording>> {
  await change(call, async (changing) => {
    await changing.record({ action: 'recording.revealed', subject: call.id })
  })
  const { deps, scope } = call
  const { fromId = '' } = await filterOf({ deps, id: scope.accountIds?.[0] ?? '', scope }, {})
  const found = call.id < fromId ? undefined : await reveal(call, call.id)
  if (!found) throw new ApiRefusal('not_found', 'This recording does not exist.')
  return { body: found }
}

export async function exportRecordings(
  call: CallOf<'POST /accounts/{id}/recordings/export'>,
): Promise<ReadyAnswer> {
  const { before: _before, request, endUser, key, ...times } = call.query
  await change(call, async (changing) => {
    const after = { ...times, requestId: request, keyId: key, isOfEndUser: endUser !== undefined }
    await changing.record({ action: 'recording.exported', subject: call.id, after })
  })
  return exportRows(call, 'ndjson', {
    name: 'recordings',
    columns: [],
    filters: await filterOf(call, call.query),
    readPage: (filter) => readPage(call, filter),
    after: (filter, beforeId) => ({ ...filter, beforeId }),
    cells: () => [],
  })
}

/** Rows until their bodies fill the memory that an export may take. */
async function readPage(call: Pick<SignedInCall, 'deps'>, filter: RecordingFilter) {
  const { engine, vault } = call.deps
  const heads = await listRecordings(engine.db, vault, filter, exportRowsMax)
  const rows: RevealedRecording[] = []
  let bytes = 0
  for (const { requestId, requestBytes, responseBytes } of heads) {
    if (bytes >= exportBytes) return { rows, next: rows.at(-1)?.requestId ?? requestId }
    bytes += requestBytes + responseBytes
    const row = await reveal(call, requestId)
    if (row) rows.push(row)
  }
  const last = heads.at(-1)
  return { rows, next: heads.length < exportRowsMax ? null : (last?.requestId ?? null) }
}

async function reveal(
  { deps }: Pick<SignedInCall, 'deps'>,
  requestId: string,
): Promise<RevealedRecording | undefined> {
  const found = await findRecording(deps.engine.db, deps.vault, requestId)
  if (!found) return undefined
  const { requestBytes: _request, responseBytes: _response, ...head } = rowOf(found.head)
  const { endUsers, request, response } = found.content
  return { ...head, endUsers, request: describeBody(request), response: describeBody(response) }
}

/** Omits expired recordings, which are deleted some minutes later. */
async function filterOf(
  { deps, id, scope }: Pick<SignedInCall, 'deps' | 'id' | 'scope'>,
  { request, key, endUser, from, to, before }: Filters,
): Promise<RecordingFilter> {
  const { retentionDays } = await findPolicy(deps.engine.db, id)
  const { recordingRetentionMs } = deps.recording
  const oldest = recordingsFrom(deps.clock.nowMs(), retentionDays, recordingRetentionMs)
  const fromId = from === undefined ? oldest : firstRequestIdAt(from)
  const ends = [before, to === undefined ? undefined : firstRequestIdAt(to)]
  return {
    accountId: id,
    keyOwnerId: scope.own?.userId,
    requestId: request,
    keyId: key,
    endUser,
    fromId: [oldest, fromId].toSorted().at(-1),
    beforeId: ends.filter((each) => each !== undefined).toSorted()[0],
  }
}

function rowOf(head: RecordingHead): RecordingRow {
  return { ...head, at: timeOfRequestId(head.requestId) }
}

/** As text if it is text; a cut body may end inside a character, whose bytes are left out. */
function describeBody({ bytes, length }: RecordedBody): RecordedText {
  const isCut = length > bytes.length
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    const text = decoder.decode(bytes, { stream: isCut })
    return { text, encoding: 'utf-8', bytes: length, isCut }
  } catch {
    const text = Buffer.from(bytes).toString('base64')
    return { text, encoding: 'base64', bytes: length, isCut }
  }
}
