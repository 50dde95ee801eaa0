import type { alertOperations } from '../contract/operations/alert-operations.ts'
import {
  createAlertRow,
  deleteAlertRow,
  editAlert,
  listAlertRows,
  putAlertRow,
  readAlertRow,
} from '../handlers/alerts/change-alerts.ts'
import { listConditionRows } from '../handlers/alerts/list-conditions.ts'
import { listMessageRows } from '../handlers/alerts/list-messages.ts'
import { resendMessage } from '../handlers/alerts/resend-message.ts'
import { testAlert, testMail } from '../handlers/alerts/test-messages.ts'
import type { Handlers } from './route.ts'

export const alertHandlers: Handlers<typeof alertOperations> = {
  'GET /alerts': listAlertRows,
  'POST /alerts': createAlertRow,
  'GET /alerts/{id}': readAlertRow,
  'PATCH /alerts/{id}': editAlert,
  'PUT /alerts/{id}': putAlertRow,
  'DELETE /alerts/{id}': deleteAlertRow,
  'GET /alerts/{id}/conditions': listConditionRows,
  'POST /alerts/{id}/test': testAlert,
  'GET /messages': listMessageRows,
  'POST /messages/{id}/resend': resendMessage,
  'POST /operate/mail/test': testMail,
}
