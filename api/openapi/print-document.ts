import { documentedRoutes } from './documented-routes';
import { openApiDocument } from './document';

process.stdout.write(JSON.stringify(openApiDocument(documentedRoutes())));
