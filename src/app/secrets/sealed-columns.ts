import { sealPurpose as totpPurpose } from '../../accounts/second-factor.ts'
import { secretPurpose, urlPurpose } from '../../alerts/alert-store.ts'
import { credentialPurpose, proxyPurpose } from '../../catalog/catalog-store.ts'
import { sealPurpose as responsePurpose } from '../../conversations/response-store.ts'
import { sealPurpose as keyPurpose } from '../../keys/key-store.ts'
import { sealedFor } from '../../outbox/outbox-store.ts'
import { sealPurpose as recordingPurpose } from '../../recording/content.ts'
import type { SealedColumn } from '../../store/secrets/reseal-value.ts'

/** Every column with sealed values. A test compares the list with the schema. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'api_key', id: 'id', column: 'value_sealed', purpose: keyPurpose },
  { table: 'upstream', id: 'id', column: 'credential_sealed', purpose: credentialPurpose },
  { table: 'upstream', id: 'id', column: 'proxy_sealed', purpose: proxyPurpose },
  { table: 'upstream_credential', id: 'id', column: 'value_sealed', purpose: credentialPurpose },
  { table: 'console_user', id: 'id', column: 'totp_sealed', purpose: totpPurpose },
  { table: 'console_user', id: 'id', column: 'totp_wanted_sealed', purpose: totpPurpose },
  { table: 'alert', id: 'id', column: 'url_sealed', purpose: urlPurpose },
  { table: 'alert', id: 'id', column: 'secret_sealed', purpose: secretPurpose },
  { table: 'outbox', id: 'seq', column: 'payload_sealed', purpose: sealedFor },
  { table: 'stored_response', id: 'id', column: 'content_sealed', purpose: responsePurpose },
  { table: 'recording', id: 'request_id', column: 'content_sealed', purpose: recordingPurpose },
]
