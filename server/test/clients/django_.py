from django.conf import settings
from checks import *

settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "HOST": HOST, "PORT": PORT, "USER": USER, "PASSWORD": PASSWORD, "NAME": DATABASE}}, USE_TZ=True)
import django
django.setup()
from django.core.management import call_command
from django.db import connection, models
from django.db.models import Count, F, Sum
from django.db.models.functions import ExtractYear, TruncDay
import io


class Event(models.Model):
    event_id = models.BigIntegerField(primary_key=True)
    event = models.TextField()
    timestamp = models.DateTimeField()
    path = models.TextField()
    class Meta:
        managed, db_table, app_label = False, "events", "shop"


class Order(models.Model):
    total = models.DecimalField(max_digits=10, decimal_places=2)
    note = models.TextField()
    class Meta:
        managed, db_table, app_label = False, "orders", "shop"


@check
def orm():
    """the ORM filters, groups and counts"""
    equal(Order.objects.filter(note="x").count(), 1)
    equal(Order.objects.aggregate(Sum("total"))["total__sum"].to_eng_string(), "15.40")
    equal(list(Event.objects.values("event").annotate(n=Count("event_id")).order_by("event"))[0]["n"] > 0, True)


@check
def regex():
    """__regex and __iregex search"""
    equal(Event.objects.filter(event__regex=r"^Signed").count(), 1)
    equal(Event.objects.filter(event__regex=r"gned U").count(), 1)
    equal(Event.objects.filter(event__iregex=r"SIGNED").count(), 1)


@check
def iterator():
    """.iterator() fetches some rows at a time"""
    equal(len(list(Order.objects.order_by("id").iterator(chunk_size=2))), 3)


@check
def dates():
    """dates are cut and taken apart"""
    equal(Event.objects.annotate(day=TruncDay("timestamp"), year=ExtractYear("timestamp")).first().day.hour, 0)


@check
def introspection():
    """inspectdb makes models of tables and views"""
    out = io.StringIO()
    call_command("inspectdb", "orders", "--include-views", stdout=out)
    equal("total = models.DecimalField(max_digits=10, decimal_places=2)" in out.getvalue(), True)
    equal("Unable to inspect" in out.getvalue(), False)


run()
