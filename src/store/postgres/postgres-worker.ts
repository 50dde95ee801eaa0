import type { SQL } from 'bun'
import { answerQuestions } from '../answer-questions.ts'
import type { Shape } from '../shape.ts'
import { applyRecords } from './apply-records.ts'
import { connect } from './connect.ts'
import { inTransaction } from './in-transaction.ts'
import type { PostgresQuestion } from './postgres-question.ts'

/*
 * The thread that carries settlements to Postgres, over connections of its own: to read, sort and send them costs
 * the thread which serves requests nothing.
 */

declare const self: Worker

/** One for the shipper, one for the recovery of what others have left behind. */
const connectionsMax = 2
const closeSeconds = 5

const shapes = new Map<string, Shape>()
let pool: SQL | undefined

function opened(): SQL {
  if (!pool) throw new Error('the database is not open')
  return pool
}

answerQuestions(self, async (question: PostgresQuestion): Promise<void> => {
  switch (question.kind) {
    case 'open':
      pool = connect(question.url, connectionsMax)
      return
    case 'shapes':
      for (const shape of question.shapes) shapes.set(shape.name, shape)
      return
    case 'records':
      return inTransaction(opened(), (connection) =>
        applyRecords(connection, question.text, shapes),
      )
    case 'close':
      return pool?.close({ timeout: closeSeconds })
  }
})
