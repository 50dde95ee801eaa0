import { Alert, List } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SystemAnswer } from '../../../../src/console-api/contract.ts'
import { formatAge } from '../parts/ages.ts'

/** Secrets of files and programs that a replica could not read again. */
export function FailingSecrets({ system }: { system: SystemAnswer }) {
  const { t, i18n } = useTranslation()
  if (system.failingSecrets.length === 0) return null
  return (
    <Alert color="red" title={t('system.failingSecrets')}>
      <List size="sm">
        {system.failingSecrets.map(({ replica, name, since, why }) => (
          <List.Item key={`${replica} ${name}`}>
            {t('system.failingSecret', {
              name,
              replica,
              why,
              age: formatAge(since, system.now, i18n.language),
            })}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
