/** The message for a missing account. */
export function noAccount(id: string): string {
  return `There is no account "${id}"; create it with "tollgate accounts create ${id}".`
}

export function noKey(id: string): string {
  return `There is no key "${id}"; see "tollgate keys list".`
}

export function noMessage(id: string): string {
  return `There is no message "${id}"; see "tollgate messages list".`
}

export function noAlert(id: string): string {
  return `There is no alert "${id}"; see "tollgate alerts list".`
}
