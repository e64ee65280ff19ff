import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { IconMapQuestion } from '#icons';
import { Empty, Page } from '#parts';
import { t } from '#texts';

export const NotFound = () => (
  <Page title={t`Page not found`}>
    <Empty title={t`There is nothing at this address`} icon={IconMapQuestion}>
      <Button component={Link} to="/" mt="sm" variant="default">
        {t`To the overview`}
      </Button>
    </Empty>
  </Page>
);
