import type { systemOperations } from '../contract/operations/system-operations.ts'
import { readAuditLog } from '../handlers/operate/audit-log.ts'
import { checkLedger, replaySetAside } from '../handlers/operate/check-ledger.ts'
import { explainRequest } from '../handlers/operate/explain.ts'
import { exportAudit } from '../handlers/operate/export-audit.ts'
import { applyState, exportState } from '../handlers/operate/state.ts'
import { readSystem } from '../handlers/operate/system.ts'
import { closeSetup, readSetup, setUpModel } from '../handlers/setup/setup.ts'
import type { Handlers } from './route.ts'

export const systemHandlers: Handlers<typeof systemOperations> = {
  'POST /operate/explain': explainRequest,
  'GET /operate/audit': readAuditLog,
  'GET /operate/audit/export': exportAudit,
  'GET /operate/system': readSystem,
  'POST /operate/check-ledger': checkLedger,
  'POST /operate/replay': replaySetAside,
  'GET /operate/provision': exportState,
  'POST /operate/provision': applyState,
  'GET /setup': readSetup,
  'POST /setup/close': closeSetup,
  'POST /setup/model': setUpModel,
}
