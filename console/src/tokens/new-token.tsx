import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { TokenWithValue } from '../../../src/console-api/contract.ts'
import { sessionQuery } from '../api/queries.ts'
import { IconCheck } from '../icons/icons.ts'
import { PanelFooter } from '../parts/dialogs/side-panel.tsx'
import { CodeBlock } from '../parts/values/code-block.tsx'
import { CopyIcon } from '../parts/values/copy-icon.tsx'
import { tokenExample } from './token-example.ts'

/** The value of a new token. It is shown only here. */
export function NewToken({ made, onClose }: { made: TokenWithValue; onClose: () => void }) {
  const { t } = useTranslation()
  const root = useQuery(sessionQuery).data?.gatewayUrl ?? window.location.origin
  const { token, value } = made
  return (
    <>
      <Stack gap="lg">
        <Alert color="teal" icon={<IconCheck />} title={t('tokens.made.title')} role="status">
          {t('tokens.made.text')}
        </Alert>
        <Stack gap={4}>
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {token.name}
          </Text>
          <Group gap="xs" wrap="nowrap" align="center">
            <Code className="key-value" aria-label={t('tokens.value')}>
              {value}
            </Code>
            <CopyIcon value={value} />
          </Group>
        </Stack>
        <CodeBlock title={t('tokens.example')} text={tokenExample({ root, value, ...token })} />
      </Stack>
      <PanelFooter>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('tokens.done')}</Button>
        </Group>
      </PanelFooter>
    </>
  )
}
