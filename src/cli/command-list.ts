import type { Command } from './command.ts'
import { accountsCreate } from './commands/accounts-create.ts'
import { accountsCorrect, accountsCredit, accountsReverse } from './commands/accounts-credit.ts'
import { accountsList } from './commands/accounts-list.ts'
import { accountsResume, accountsSuspend } from './commands/accounts-suspend.ts'
import { accountsUpdate } from './commands/accounts-update.ts'
import { alertsConditions } from './commands/alerts-conditions.ts'
import { alertsCreate } from './commands/alerts-create.ts'
import { alertsDelete, alertsTest } from './commands/alerts-delete.ts'
import { alertsList } from './commands/alerts-list.ts'
import { alertsUpdate } from './commands/alerts-update.ts'
import { apply } from './commands/apply.ts'
import { audit } from './commands/audit.ts'
import { backup } from './commands/backup.ts'
import { config } from './commands/config.ts'
import { doctor } from './commands/doctor.ts'
import { exportState } from './commands/export.ts'
import { health } from './commands/health.ts'
import { keysDelete, keysRotate, keysUpdate } from './commands/keys-change.ts'
import { keysCreate } from './commands/keys-create.ts'
import { keysDisable, keysEnable } from './commands/keys-enable.ts'
import { keysList } from './commands/keys-list.ts'
import { keysReveal } from './commands/keys-reveal.ts'
import { keysToService } from './commands/keys-to-service.ts'
import { ledgerReplay } from './commands/ledger-replay.ts'
import { membersLimit, membersList, membersRemove, membersRole } from './commands/members.ts'
import { membersAdd } from './commands/members-add.ts'
import { messagesList } from './commands/messages-list.ts'
import { messagesResend } from './commands/messages-resend.ts'
import { migrateCommand } from './commands/migrate.ts'
import { recordingsErase, recordingsExport } from './commands/recordings.ts'
import { restore } from './commands/restore.ts'
import { secretRotate } from './commands/secret-rotate.ts'
import { serve } from './commands/serve.ts'
import { signInLink } from './commands/sign-in-link.ts'
import { tokensCreate } from './commands/tokens-create.ts'
import { tokensList } from './commands/tokens-list.ts'
import { tokensRevoke } from './commands/tokens-revoke.ts'
import { upstreamsList } from './commands/upstreams-list.ts'
import { upstreamsTest } from './commands/upstreams-test.ts'
import { auditLogExport, usageExport } from './commands/usage-export.ts'
import {
  usersDelete,
  usersReset,
  usersResume,
  usersRole,
  usersSuspend,
  usersUnlink,
  usersVerify,
} from './commands/users-change.ts'
import { usersCreate } from './commands/users-create.ts'
import { usersList } from './commands/users-list.ts'

/** All commands, in the order of the help text. */
export const commands: readonly Command[] = [
  serve,
  apply,
  exportState,
  config,
  keysCreate,
  keysList,
  keysReveal,
  keysUpdate,
  keysRotate,
  keysDisable,
  keysEnable,
  keysToService,
  keysDelete,
  accountsCreate,
  accountsUpdate,
  accountsCredit,
  accountsCorrect,
  accountsReverse,
  accountsList,
  accountsSuspend,
  accountsResume,
  membersList,
  membersAdd,
  membersRole,
  membersRemove,
  membersLimit,
  usersList,
  usersCreate,
  usersRole,
  usersSuspend,
  usersResume,
  usersVerify,
  usersReset,
  usersUnlink,
  usersDelete,
  tokensCreate,
  tokensList,
  tokensRevoke,
  alertsCreate,
  alertsList,
  alertsConditions,
  alertsUpdate,
  alertsTest,
  alertsDelete,
  messagesList,
  messagesResend,
  upstreamsList,
  upstreamsTest,
  usageExport,
  recordingsExport,
  recordingsErase,
  auditLogExport,
  audit,
  ledgerReplay,
  migrateCommand,
  backup,
  restore,
  secretRotate,
  signInLink,
  doctor,
  health,
]
