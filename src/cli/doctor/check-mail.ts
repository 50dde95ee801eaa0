import type { Config } from '../../config/config.ts'
import { errorLine } from '../../outbox/message.ts'
import { openSmtp } from '../../outbox/smtp.ts'
import { type DoctorFinding, fail, ok } from './finding.ts'

const topic = 'mail'

/** Connects to the mail server and signs in, without sending anything. */
export async function checkMail({ smtp }: Pick<Config, 'smtp'>): Promise<DoctorFinding[]> {
  if (!smtp) return []
  try {
    await openSmtp(smtp).check()
    return [ok(topic, `${smtp.host}:${smtp.port} accepts the connection`)]
  } catch (error) {
    return [fail(topic, `${errorLine(error)} Correct smtpHost, smtpPort, smtpTls or the sign-in.`)]
  }
}
