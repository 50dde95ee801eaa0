import { Alert, Button, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { IconAlertTriangle } from '../../icons/icons.ts'
import { useErrorText } from './use-error-text.ts'

export function PageError({ error, reset }: { error?: unknown; reset?: () => void }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <Alert icon={<IconAlertTriangle />} color="red" title={t('error.title')} my="md">
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{error === undefined ? t('error.not_found') : errorText(error)}</Text>
        {requestId !== undefined && (
          <Text size="xs" c="dimmed">
            {t('error.requestId', { id: requestId })}
          </Text>
        )}
        {reset && (
          <Button size="xs" variant="default" onClick={reset}>
            {t('error.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
