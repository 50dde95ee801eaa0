import { Badge, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CatalogueModel } from '../../../src/console-api/contract.ts'
import { protocolLabel } from '../codes/protocol-label.ts'
import { IconMessageCircle } from '../icons/icons.ts'
import { ButtonLink } from '../parts/page/button-link.tsx'
import { CopyIcon } from '../parts/values/copy-icon.tsx'
import { useAccount } from '../shell/use-account.ts'
import { PriceTable } from './price-table.tsx'

export function ModelPanel({ model }: { model: CatalogueModel }) {
  const { t } = useTranslation()
  const account = useAccount()
  const count = (tokens: number) => t('models.tokens', { count: tokens })
  return (
    <Stack gap="lg">
      <div>
        <Group gap={4} wrap="nowrap">
          <Text ff="monospace" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {model.id}
          </Text>
          <CopyIcon value={model.id} />
        </Group>
        <Text size="sm" c="dimmed">
          {t('models.by', { owner: model.ownedBy })}
        </Text>
      </div>
      <Table variant="vertical" withTableBorder fz="sm">
        <Table.Tbody>
          <Table.Tr>
            <Table.Th w={150} fw={400} c="dimmed">
              {t('models.context')}
            </Table.Th>
            <Table.Td>
              {model.contextTokens === null ? t('models.unknown') : count(model.contextTokens)}
            </Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th fw={400} c="dimmed">
              {t('models.output')}
            </Table.Th>
            <Table.Td>{count(model.maxOutputTokens)}</Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th fw={400} c="dimmed">
              {t('models.capabilities')}
            </Table.Th>
            <Table.Td>
              <Group gap={4}>
                {model.capabilities.map((capability) => (
                  <Badge key={capability} color="gray">
                    {t(`capability.${capability}`)}
                  </Badge>
                ))}
              </Group>
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <div>
        <Title order={3} fz="h5" mb="xs">
          {t('models.prices')}
        </Title>
        <PriceTable prices={model.prices} />
      </div>
      <div>
        <Title order={3} fz="h5" mb="xs">
          {t('models.endpoints')}
        </Title>
        <Group gap={6}>
          {model.endpoints.map(({ protocol, isNative }) => (
            <Badge key={protocol} color={isNative ? 'teal' : 'gray'}>
              {protocolLabel(protocol)} · {isNative ? t('models.native') : t('models.translated')}
            </Badge>
          ))}
        </Group>
      </div>
      <ButtonLink
        to="/playground"
        search={{ ...(account !== undefined && { account }), model: model.id }}
        variant="light"
        leftSection={<IconMessageCircle size={16} />}
      >
        {t('models.tryIt')}
      </ButtonLink>
    </Stack>
  )
}
