/** The result of one check. A finding that is not in order says what to do. */
export interface DoctorFinding {
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly topic: string
  readonly text: string
}

export function ok(topic: string, text: string): DoctorFinding {
  return { verdict: 'ok', topic, text }
}

export function warn(topic: string, text: string): DoctorFinding {
  return { verdict: 'warn', topic, text }
}

export function fail(topic: string, text: string): DoctorFinding {
  return { verdict: 'fail', topic, text }
}
