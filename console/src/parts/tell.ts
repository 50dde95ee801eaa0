import { notifications } from '@mantine/notifications'

/** A short word that something is done. */
export function tellDone(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000 })
}

/** A short word that something failed. */
export function tellFailed(message: string): void {
  notifications.show({ message, color: 'red', autoClose: 8_000 })
}
