import { PageError } from './page-error.tsx'

export function PageMissing() {
  return <PageError />
}
