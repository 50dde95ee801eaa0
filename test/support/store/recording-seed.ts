import { newRequestId } from '../../../src/core/id.ts'
import { sealContent } from '../../../src/recording/content.ts'
import type { RecordingPolicyEdit } from '../../../src/recording/definition/policy.ts'
import { endUserHash } from '../../../src/recording/end-user-hash.ts'
import { changePolicy } from '../../../src/recording/policy-store.ts'
import { writeRecordings } from '../../../src/recording/write-recordings.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { ConsoleFixture } from '../console/console-fixture.ts'

type Seeding = Pick<ConsoleFixture, 'engine' | 'vault' | 'nowMs'>

export interface RecordingSeed {
  readonly keyId?: string
  readonly endUser?: string
  readonly atMs?: number
  readonly request?: string | Uint8Array
  /** The id of an existing row of the log; absent: a new id. */
  readonly requestId?: string
}

export async function setPolicy(
  { engine, nowMs }: Omit<Seeding, 'vault'>,
  edit: RecordingPolicyEdit,
  accountId = 'acme',
): Promise<void> {
  await write(engine, nowMs(), (writing) => changePolicy(writing, accountId, edit))
}

/** One recorded request of acme. Returns its id. */
export async function addRecording(fixture: Seeding, seed: RecordingSeed = {}): Promise<string> {
  const { engine, vault, nowMs } = fixture
  const { keyId = 'key_a1', endUser = 'ann', atMs = nowMs(), request = '{"model":"gpt-x"}' } = seed
  const { requestId = newRequestId(atMs) } = seed
  const bytes = Buffer.from(request)
  const response = Buffer.from('{"answer":"hello"}')
  const sealed = await sealContent(vault, {
    endUsers: [endUser],
    request: { bytes, length: bytes.length },
    response: { bytes: response, length: response.length + 1 },
  })
  const row = {
    request_id: requestId,
    account_id: 'acme',
    key_id: keyId,
    protocol: 'chat-completions',
    model: 'gpt-x',
    status: 200,
    end_user_hash: endUserHash(vault, 'acme', endUser),
    other_user_hash: null,
    request_bytes: bytes.length,
    response_bytes: response.length + 1,
    stored_bytes: sealed.length,
    content_sealed: sealed,
  }
  await writeRecordings(engine, 'acme', [{ atMs, row }], 1024 ** 3)
  return requestId
}

export async function seedRecording(
  fixture: Seeding,
  edit: RecordingPolicyEdit = {},
): Promise<string> {
  await setPolicy(fixture, { scope: 'all', ...edit })
  return addRecording(fixture)
}
