import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconMapQuestion } from '../icons';
import { Link } from 'react-router';
import { Page } from '../parts/page';
import { Empty } from '../parts/states';

export function NotFound() {
  return (
    <Page title={t`Page not found`}>
      <Empty title={t`There is nothing at this address`} icon={IconMapQuestion}>
        <Button component={Link} to="/" mt="sm" variant="default">
          <Trans>To the overview</Trans>
        </Button>
      </Empty>
    </Page>
  );
}
