import ca.uhn.fhir.batch2.jobs.config.Batch2JobsConfig;
import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.IValidationSupport;
import ca.uhn.fhir.interceptor.api.Hook;
import ca.uhn.fhir.interceptor.api.Interceptor;
import ca.uhn.fhir.interceptor.api.Pointcut;
import ca.uhn.fhir.jpa.api.config.JpaStorageSettings;
import ca.uhn.fhir.jpa.api.config.ThreadPoolFactoryConfig;
import ca.uhn.fhir.jpa.api.dao.IFhirSystemDao;
import ca.uhn.fhir.jpa.batch2.JpaBatch2Config;
import ca.uhn.fhir.jpa.config.HapiJpaConfig;
import ca.uhn.fhir.jpa.config.r4.JpaR4Config;
import ca.uhn.fhir.jpa.config.util.HapiEntityManagerFactoryUtil;
import ca.uhn.fhir.jpa.model.config.PartitionSettings;
import ca.uhn.fhir.jpa.model.config.SubscriptionSettings;
import ca.uhn.fhir.jpa.model.dialect.HapiFhirH2Dialect;
import ca.uhn.fhir.jpa.provider.JpaCapabilityStatementProvider;
import ca.uhn.fhir.jpa.search.DatabaseBackedPagingProvider;
import ca.uhn.fhir.jpa.subscription.channel.config.SubscriptionChannelConfig;
import ca.uhn.fhir.jpa.subscription.match.config.SubscriptionProcessorConfig;
import ca.uhn.fhir.jpa.subscription.match.deliver.email.IEmailSender;
import ca.uhn.fhir.jpa.subscription.submit.config.SubscriptionSubmitterConfig;
import ca.uhn.fhir.rest.api.EncodingEnum;
import ca.uhn.fhir.rest.server.IResourceProvider;
import ca.uhn.fhir.rest.server.RestfulServer;
import ca.uhn.fhir.rest.server.exceptions.AuthenticationException;
import ca.uhn.fhir.rest.server.interceptor.RequestValidatingInterceptor;
import ca.uhn.fhir.rest.server.provider.ResourceProviderFactory;
import ca.uhn.fhir.rest.server.util.ISearchParamRegistry;
import ca.uhn.fhir.validation.ResultSeverityEnum;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import jakarta.persistence.EntityManagerFactory;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.h2.jdbcx.JdbcConnectionPool;
import org.hl7.fhir.common.hapi.validation.validator.FhirInstanceValidator;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;

/**
 * HAPI FHIR's JPA server for R4 on a port of its own, with its records in memory. It checks what it is sent with the
 * specification's own rules, and takes the bearer token that its only argument names. Prints its port when it is up, and ends
 * with its standard input.
 */
@Configuration
@Import({
  JpaR4Config.class,
  HapiJpaConfig.class,
  JpaBatch2Config.class,
  Batch2JobsConfig.class,
  SubscriptionChannelConfig.class,
  SubscriptionProcessorConfig.class,
  SubscriptionSubmitterConfig.class,
  ThreadPoolFactoryConfig.class,
})
public class HapiServer {
  /** What our client asks for, and what these refer to: with all 140 the statement has a megabyte. */
  private static final List<String> RESOURCES =
      List.of(
          "Patient", "Practitioner", "PractitionerRole", "Location", "Schedule", "Slot", "Appointment", "DocumentReference",
          "Coverage", "CoverageEligibilityRequest", "CoverageEligibilityResponse", "Organization");

  public static void main(String[] args) throws Exception {
    ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(HapiServer.class);
    RestfulServer fhir = restfulServer(context, args[0]);
    Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
    ServletContextHandler handler = new ServletContextHandler("/");
    handler.addServlet(new ServletHolder(fhir), "/fhir/*");
    server.setHandler(handler);
    server.start();
    System.out.println("HAPI FHIR listens on " + ((ServerConnector) server.getConnectors()[0]).getLocalPort());
    while (System.in.read() != -1) {}
    Runtime.getRuntime().halt(0);
  }

  private static RestfulServer restfulServer(AnnotationConfigApplicationContext context, String token) {
    IFhirSystemDao<?, ?> systemDao = context.getBean(IFhirSystemDao.class);
    RestfulServer fhir = new RestfulServer(context.getBean(FhirContext.class));
    context.getBean("myResourceProvidersR4", ResourceProviderFactory.class).createProviders().stream()
        .filter(each -> each instanceof IResourceProvider provider && RESOURCES.contains(nameOf(provider)))
        .forEach(fhir::registerProvider);
    fhir.registerProvider(context.getBean("mySystemProviderR4"));
    fhir.setServerConformanceProvider(
        new JpaCapabilityStatementProvider(
            fhir,
            systemDao,
            context.getBean(JpaStorageSettings.class),
            context.getBean(ISearchParamRegistry.class),
            context.getBean(IValidationSupport.class)));
    fhir.setPagingProvider(context.getBean(DatabaseBackedPagingProvider.class));
    fhir.setDefaultResponseEncoding(EncodingEnum.JSON);
    fhir.registerInterceptor(new BearerToken(token));
    RequestValidatingInterceptor validating = new RequestValidatingInterceptor();
    validating.addValidatorModule(context.getBean(FhirInstanceValidator.class));
    validating.setFailOnSeverity(ResultSeverityEnum.ERROR);
    validating.setAddResponseHeaderOnSeverity(null);
    fhir.registerInterceptor(validating);
    return fhir;
  }

  private static String nameOf(IResourceProvider provider) {
    return provider.getResourceType().getSimpleName();
  }

  @Interceptor
  public record BearerToken(String token) {
    @Hook(Pointcut.SERVER_INCOMING_REQUEST_PRE_PROCESSED)
    public boolean check(HttpServletRequest request) {
      boolean isOpen = "/metadata".equals(request.getPathInfo());
      if (isOpen || ("Bearer " + token).equals(request.getHeader("authorization"))) return true;
      throw new AuthenticationException("The token is unknown or has expired");
    }
  }

  @Bean
  public JpaStorageSettings storageSettings() {
    JpaStorageSettings settings = new JpaStorageSettings();
    settings.setSchedulingDisabled(true);
    return settings;
  }

  @Bean
  public PartitionSettings partitionSettings() {
    return new PartitionSettings();
  }

  @Bean
  public SubscriptionSettings subscriptionSettings() {
    return new SubscriptionSettings();
  }

  @Bean
  public IEmailSender emailSender() {
    return details -> {};
  }

  @Bean
  public DataSource dataSource() {
    return JdbcConnectionPool.create("jdbc:h2:mem:fhir;DB_CLOSE_DELAY=-1", "sa", "");
  }

  @Bean
  public LocalContainerEntityManagerFactoryBean entityManagerFactory(
      ConfigurableListableBeanFactory beans, FhirContext fhirContext, JpaStorageSettings settings, DataSource dataSource) {
    LocalContainerEntityManagerFactoryBean factory =
        HapiEntityManagerFactoryUtil.newEntityManagerFactory(beans, fhirContext, settings);
    Properties properties = new Properties();
    properties.put("hibernate.dialect", HapiFhirH2Dialect.class.getName());
    properties.put("hibernate.hbm2ddl.auto", "create");
    properties.put("hibernate.search.enabled", "false");
    factory.setPersistenceUnitName("hapi");
    factory.setDataSource(dataSource);
    factory.setJpaProperties(properties);
    return factory;
  }

  @Bean
  public JpaTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
    return new JpaTransactionManager(entityManagerFactory);
  }
}
